// Conjugate gradients for -Δu = f on n × n points of the unit square, zero outside: how many iterations make the error in the
// energy norm 10⁸ times as small, beside the bound of the theory, for four n, as CSV.
//
//     c++ -O2 -o cg cg.cpp && ./cg

#include <cmath>
#include <cstdio>
#include <vector>

using Vector = std::vector<double>;

double dot(const Vector &a, const Vector &b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); i++) sum += a[i] * b[i];
    return sum;
}

// times returns Av, A the matrix of five points. Its eigenvalues lie between 8 sin²(π/2(n+1)) and 8 cos²(π/2(n+1)).
Vector times(int n, const Vector &v) {
    Vector u(v.size());
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int k = i * n + j;
            u[k] = 4 * v[k];
            if (i > 0) u[k] -= v[k - n];
            if (i < n - 1) u[k] -= v[k + n];
            if (j > 0) u[k] -= v[k - 1];
            if (j < n - 1) u[k] -= v[k + 1];
        }
    return u;
}

// The solution is x(1-x) y(1-y) in each point, and minus its five-point Laplacian h²(2x(1-x) + 2y(1-y)) exactly.
double parabola(int i, int n) { return (i + 1.0) * (n - i) / (n + 1) / (n + 1); }

// iterations counts them with a fraction: log error is taken to be linear between two of them.
double iterations(int n) {
    const double target = 1e-8, h = 1.0 / (n + 1);
    Vector exact(n * n), x(n * n), r(n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            exact[i * n + j] = parabola(i, n) * parabola(j, n);
            r[i * n + j] = 2 * h * h * (parabola(i, n) + parabola(j, n));
        }
    auto energy = [&] {
        Vector e = exact;
        for (std::size_t i = 0; i < e.size(); i++) e[i] -= x[i];
        return std::sqrt(dot(e, times(n, e)));
    };
    Vector p = r;
    double rr = dot(r, r), first = energy(), error = first;
    for (int k = 1; k < 10 * n; k++) {
        Vector q = times(n, p);
        double alpha = rr / dot(p, q), rr_before = rr, before = error;
        for (int i = 0; i < n * n; i++) { x[i] += alpha * p[i]; r[i] -= alpha * q[i]; }
        rr = dot(r, r);
        for (int i = 0; i < n * n; i++) p[i] = r[i] + rr / rr_before * p[i];
        error = energy();
        if (error <= target * first) return k - std::log(error / (target * first)) / std::log(error / before);
    }
    return 10 * n;
}

int main() {
    std::puts("n,iterations,share");
    for (int n = 16; n <= 128; n *= 2) {
        double root = 1 / std::tan(std::acos(-1.0) / 2 / (n + 1)); // √κ
        double k = iterations(n), bound = std::log(2 / 1e-8) / std::log((root + 1) / (root - 1));
        std::printf("%d,%.17g,%.17g\n", n, k, k / bound);
    }
}
