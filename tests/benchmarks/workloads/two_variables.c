#include <math.h>

double hand(double x1, double x2, double *x1_bar, double *x2_bar)
{
    double e = exp(x1);
    double bottom = x2 + e;
    double quotient = (1.0 + sin(x2)) / bottom;
    double bottom_bar = -quotient / bottom;
    *x1_bar = x2 + bottom_bar * e;
    *x2_bar = x1 + bottom_bar + cos(x2) / bottom;
    return quotient + x1 * x2;
}
