/* y' = -2ty², y(0) = 1, from t = 0 to 2 in equal steps: the largest error for seven step sizes, as CSV. The solution is
   1/(1 + t²). The methods are rk4, the classical one of Runge and Kutta; ab4, of Adams and Bashforth with four steps; and bdf2.

   cc -O2 -o ode ode.c -lm && ./ode rk4 */

#include <math.h>
#include <stdio.h>
#include <string.h>

static double f(double t, double y) { return -2 * t * y * y; }

static double rk4(double t, double y, double h) { /* one step */
    double k1 = f(t, y);
    double k2 = f(t + h / 2, y + h / 2 * k1);
    double k3 = f(t + h / 2, y + h / 2 * k2);
    double k4 = f(t + h, y + h * k3);
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

static double bdf2(double t, double y, double before, double h) { /* (3z - 4y + before)/2h = f(t + h, z), by Newton's method */
    double z = 2 * y - before, step;
    t += h;
    do {
        step = (3 * z - 4 * y + before - 2 * h * f(t, z)) / (3 + 8 * h * t * z);
        z -= step;
    } while (fabs(step) > 1e-12);
    return z;
}

static double largest(const char *method, int n) {
    double h = 2.0 / n, y = 1, before = 1, past[4] = {0}, error = 0; /* past: f at the last four times, the latest first */
    for (int i = 0; i < n; i++) {
        double t = i * h, z;
        memmove(past + 1, past, 3 * sizeof *past);
        past[0] = f(t, y);
        if (strcmp(method, "ab4") == 0 && i >= 3) z = y + h / 24 * (55 * past[0] - 59 * past[1] + 37 * past[2] - 9 * past[3]);
        else if (strcmp(method, "bdf2") == 0 && i >= 1) z = bdf2(t, y, before, h);
        else z = rk4(t, y, h);
        before = y;
        y = z;
        t += h;
        error = fmax(error, fabs(y - 1 / (1 + t * t)));
    }
    return error;
}

int main(int argc, char **argv) {
    puts("dt,error");
    for (int n = 20; n <= 1280; n *= 2)
        printf("%.17g,%.17g\n", 2.0 / n, largest(argc > 1 ? argv[1] : "rk4", n));
    return 0;
}
