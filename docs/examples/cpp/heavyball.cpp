// A program in C++ that repro asks for its steps: the heavy ball on a quadratic with the eigenvalues 0.01 to 1. To serve your own
// method, change the part above the line and keep the part below it.
//
// c++ -O2 -std=c++17 -o heavyball heavyball.cpp

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <random>
#include <string>

constexpr int n = 20;

struct HeavyBall {  // all that a step changes: save writes it as it is
    double x[n], v[n];

    void start(unsigned long seed) {
        std::mt19937_64 random(seed);
        for (int i = 0; i < n; i++) {
            x[i] = static_cast<double>(random() >> 11) * 0x1p-53 + 0.5;
            v[i] = 0;
        }
    }

    void step() {
        const double momentum = 81.0 / 121, rate = 400.0 / 121;  // ((√κ-1)/(√κ+1))² and (2/(√L+√μ))², κ = 100
        for (int i = 0; i < n; i++) {
            const double gradient = (0.01 + 0.99 * i / (n - 1)) * x[i];
            v[i] = momentum * v[i] - rate * gradient;
            x[i] += v[i];
        }
    }

    double distance() const {
        double sum = 0;
        for (double a : x) sum += a * a;
        return std::sqrt(sum);
    }
};

// ---------------------------------------------------------------------------------------------------------------------

// number returns the number of a key in a line of JSON, 0 if it is not there.
static unsigned long number(const std::string& line, const std::string& key) {
    const auto at = line.find("\"" + key + "\":");
    return at == std::string::npos ? 0 : std::strtoul(line.c_str() + at + key.size() + 3, nullptr, 10);
}

// text returns the text of a key in a line of JSON.
static std::string text(const std::string& line, const std::string& key) {
    const auto at = line.find("\"" + key + "\":\"");
    if (at == std::string::npos) return "";
    const auto from = at + key.size() + 4;
    return line.substr(from, line.find('"', from) - from);
}

int main() {
    HeavyBall fit{};
    std::cout << std::setprecision(17);
    for (std::string line; std::getline(std::cin, line);) {
        const std::string request = text(line, "request");
        const auto id = number(line, "id");
        bool ok = true;
        if (request == "stop") return 0;
        std::cout << "{\"id\":" << id;
        if (request == "hello") {
            std::cout << ",\"protocol\":1,\"name\":\"heavy ball in C++\",\"version\":\"1.0\",\"save\":true";
        } else if (request == "start") {
            fit.start(number(line, "seed"));
        } else if (request == "step") {
            for (auto left = number(line, "n"); left > 0; left--) fit.step();
        } else if (request == "value") {
            std::cout << ",\"values\":{\"distance\":" << fit.distance() << "}";
        } else if (request == "save") {
            std::ofstream out(text(line, "file"), std::ios::binary);
            ok = static_cast<bool>(out.write(reinterpret_cast<const char*>(&fit), sizeof fit).flush());
        } else if (request == "restore") {
            std::ifstream in(text(line, "file"), std::ios::binary);
            ok = static_cast<bool>(in.read(reinterpret_cast<char*>(&fit), sizeof fit));
        } else {
            ok = false;
        }
        std::cout << (ok ? "}" : ",\"error\":\"cannot do this request\"}") << std::endl;  // each reply at once
    }
}
