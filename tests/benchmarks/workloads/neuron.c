double hand(double x, double w, double b, double *x_bar, double *w_bar, double *b_bar)
{
    double v = x * w + b;
    double v_bar = v > 0.0 ? 1.0 : 0.0;
    *x_bar = v_bar * w;
    *w_bar = v_bar * x;
    *b_bar = v_bar;
    return v > 0.0 ? v : 0.0;
}
