#include <math.h>

double hand(double x, double a, double b, double *x_bar, double *a_bar, double *b_bar)
{
    const double dt = 0.01;
    double tape[1000];
    double cost = 0.0;
    for (int i = 0; i < 1000; i++) {
        tape[i] = x;
        x = x + dt * (a * sin(x) - b * x);
        cost += x * x;
    }
    double along = 0.0, along_a = 0.0, along_b = 0.0;
    for (int i = 999; i >= 0; i--) {
        along += 2.0 * x;
        x = tape[i];
        double rate_bar = dt * along;
        along_a += rate_bar * sin(x);
        along_b -= rate_bar * x;
        along += rate_bar * (a * cos(x) - b);
    }
    *x_bar = along;
    *a_bar = along_a;
    *b_bar = along_b;
    return cost;
}
