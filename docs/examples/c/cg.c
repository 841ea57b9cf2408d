/* A program in C that repro asks for its steps: conjugate gradients for Ax = b, A tridiagonal with 2.1 on the diagonal and
   -1 beside it, b = 1. To serve your own method, change the part above the line and keep the part below it.

   cc -O2 -o cg cg.c -lm */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100 };

static struct { double x[N], r[N], p[N], rr; } s; /* all that a step changes: save writes it as it is */

static double dot(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < N; i++) sum += a[i] * b[i];
    return sum;
}

static void product(const double *v, double *u) { /* u = Av */
    for (int i = 0; i < N; i++)
        u[i] = 2.1 * v[i] - (i > 0 ? v[i - 1] : 0) - (i < N - 1 ? v[i + 1] : 0);
}

static void start(long seed) {
    (void)seed; /* nothing is drawn */
    for (int i = 0; i < N; i++) { s.x[i] = 0; s.r[i] = s.p[i] = 1; }
    s.rr = dot(s.r, s.r);
}

static void step(void) {
    double q[N], alpha, before = s.rr;
    product(s.p, q);
    alpha = s.rr / dot(s.p, q);
    for (int i = 0; i < N; i++) { s.x[i] += alpha * s.p[i]; s.r[i] -= alpha * q[i]; }
    s.rr = dot(s.r, s.r);
    for (int i = 0; i < N; i++) s.p[i] = s.r[i] + s.rr / before * s.p[i];
}

static double residual(void) {
    double q[N], sum = 0;
    product(s.x, q);
    for (int i = 0; i < N; i++) sum += (1 - q[i]) * (1 - q[i]);
    return sqrt(sum / N);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* number returns the number of a key in a line of JSON, 0 if it is not there. Keys are in quotes. */
static long number(const char *line, const char *key) {
    const char *at = strstr(line, key);
    return at ? strtol(at + strlen(key) + 1, NULL, 10) : 0;
}

/* state writes or reads the state in the file that the line names, and returns whether it could. */
static int state(const char *line, const char *mode) {
    char name[256];
    const char *at = strstr(line, "\"file\":\"");
    if (!at || sscanf(at + 8, "%255[^\"]", name) != 1) return 0;
    FILE *f = fopen(name, mode);
    if (!f) return 0;
    size_t n = mode[0] == 'w' ? fwrite(&s, sizeof s, 1, f) : fread(&s, sizeof s, 1, f);
    return fclose(f) == 0 && n == 1;
}

int main(void) {
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        long id = number(line, "\"id\"");
        int ok = 1;
        if (strstr(line, "\"request\":\"hello\"")) {
            printf("{\"id\":%ld,\"protocol\":1,\"name\":\"CG in C\",\"version\":\"1.0\",\"save\":true}\n", id);
        } else if (strstr(line, "\"request\":\"value\"")) {
            printf("{\"id\":%ld,\"values\":{\"residual\":%.17g}}\n", id, residual());
        } else if (strstr(line, "\"request\":\"stop\"")) {
            return 0;
        } else {
            if (strstr(line, "\"request\":\"start\"")) start(number(line, "\"seed\""));
            else if (strstr(line, "\"request\":\"step\"")) for (long n = number(line, "\"n\""); n > 0; n--) step();
            else if (strstr(line, "\"request\":\"save\"")) ok = state(line, "wb");
            else if (strstr(line, "\"request\":\"restore\"")) ok = state(line, "rb");
            else ok = 0;
            printf(ok ? "{\"id\":%ld}\n" : "{\"id\":%ld,\"error\":\"cannot do this request\"}\n", id);
        }
        fflush(stdout); /* each reply at once */
    }
    return 0;
}
