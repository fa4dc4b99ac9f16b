"""Formulas of numbers: straight code, branches, loops until something holds, recursion."""

import math

from .case import Case


def black_scholes(spot, strike, rate, vol, time):
    std = vol * math.sqrt(time)
    d1 = (math.log(spot / strike) + (rate + 0.5 * vol**2) * time) / std
    d2 = d1 - std
    root_two = math.sqrt(2.0)
    return spot * 0.5 * (1.0 + math.erf(d1 / root_two)) - strike * math.exp(-rate * time) * 0.5 * (
        1.0 + math.erf(d2 / root_two)
    )


def black_scholes_hand(spot, strike, rate, vol, time):
    root_time = math.sqrt(time)
    std = vol * root_time
    d1 = (math.log(spot / strike) + (rate + 0.5 * vol**2) * time) / std
    d2 = d1 - std
    discount = math.exp(-rate * time)
    chance1 = 0.5 * (1.0 + math.erf(d1 / math.sqrt(2.0)))
    chance2 = 0.5 * (1.0 + math.erf(d2 / math.sqrt(2.0)))
    value = spot * chance1 - strike * discount * chance2
    # back: the parts by d1 and d2 cancel but for what d2 has of its own
    density = spot * math.exp(-0.5 * d1**2) / math.sqrt(2.0 * math.pi)
    spot_bar = chance1
    strike_bar = -discount * chance2
    rate_bar = strike * time * discount * chance2
    vol_bar = density * root_time
    time_bar = density * vol / (2.0 * root_time) + rate * strike * discount * chance2
    return value, (spot_bar, strike_bar, rate_bar, vol_bar, time_bar)


def normal_logpdf(x, mean, log_std):
    z = (x - mean) / math.exp(log_std)
    return -0.5 * z**2 - log_std - 0.5 * math.log(2.0 * math.pi)


def normal_logpdf_hand(x, mean, log_std):
    std = math.exp(log_std)
    z = (x - mean) / std
    value = -0.5 * z**2 - log_std - 0.5 * math.log(2.0 * math.pi)
    # back
    mean_bar = z / std
    return value, (-mean_bar, mean_bar, z**2 - 1.0)


def lennard_jones(r, eps, sigma):
    ratio = (sigma / r) ** 6
    return 4.0 * eps * (ratio**2 - ratio)


def lennard_jones_hand(r, eps, sigma):
    ratio = (sigma / r) ** 6
    value = 4.0 * eps * (ratio**2 - ratio)
    # back
    ratio_bar = 4.0 * eps * (2.0 * ratio - 1.0)
    sigma_bar = 6.0 * ratio_bar * ratio / sigma
    return value, (-sigma_bar * sigma / r, 4.0 * (ratio**2 - ratio), sigma_bar)


def haversine(lat1, lon1, lat2, lon2):
    up = math.sin((lat2 - lat1) / 2.0)
    across = math.sin((lon2 - lon1) / 2.0)
    h = up**2 + math.cos(lat1) * math.cos(lat2) * across**2
    return 2.0 * 6371.0 * math.asin(math.sqrt(h))


def haversine_hand(lat1, lon1, lat2, lon2):
    half_lat, half_lon = (lat2 - lat1) / 2.0, (lon2 - lon1) / 2.0
    up, across = math.sin(half_lat), math.sin(half_lon)
    cos1, cos2 = math.cos(lat1), math.cos(lat2)
    h = up**2 + cos1 * cos2 * across**2
    value = 2.0 * 6371.0 * math.asin(math.sqrt(h))
    # back
    h_bar = 6371.0 / math.sqrt(h * (1.0 - h))
    lat_bar = h_bar * up * math.cos(half_lat)
    lon_bar = h_bar * cos1 * cos2 * across * math.cos(half_lon)
    lat1_bar = -lat_bar - h_bar * math.sin(lat1) * cos2 * across**2
    lat2_bar = lat_bar - h_bar * cos1 * math.sin(lat2) * across**2
    return value, (lat1_bar, -lon_bar, lat2_bar, lon_bar)


def income_tax(income, rate, threshold):
    if income <= threshold:
        return rate * income
    excess = income - threshold
    return rate * threshold + 2.0 * rate * excess + 0.01 * excess**2


def income_tax_hand(income, rate, threshold):
    if income <= threshold:
        return rate * income, (rate, income, 0.0)
    excess = income - threshold
    value = rate * threshold + 2.0 * rate * excess + 0.01 * excess**2
    # back
    excess_bar = 2.0 * rate + 0.02 * excess
    return value, (excess_bar, threshold + 2.0 * excess, rate - excess_bar)


def cube_root(a):
    x = a
    while abs(x**3 - a) > 1e-9:
        x = x - (x**3 - a) / (3.0 * x**2)
    return x


def cube_root_hand(a):
    x = a
    tape = []
    while abs(x**3 - a) > 1e-9:
        tape.append(x)
        x = x - (x**3 - a) / (3.0 * x**2)
    # back
    a_bar, x_bar = 0.0, 1.0
    for x_before in reversed(tape):
        a_bar += x_bar / (3.0 * x_before**2)
        x_bar *= 2.0 * (x_before**3 - a) / (3.0 * x_before**3)
    return x, (a_bar + x_bar,)


def horner(x, coefficients):
    total = 0.0
    for c in coefficients:
        total = total * x + c
    return total


def horner_hand(x, coefficients):
    total = 0.0
    tape = []
    for c in coefficients:
        tape.append(total)
        total = total * x + c
    # back
    x_bar, total_bar = 0.0, 1.0
    coefficients_bar = [0.0] * len(coefficients)
    for k in reversed(range(len(coefficients))):
        coefficients_bar[k] = total_bar
        x_bar += total_bar * tape[k]
        total_bar *= x
    return total, (x_bar, coefficients_bar)


def logistic_map(x, r, n):
    for _ in range(n):
        x = r * x * (1.0 - x)
    return x


def logistic_map_hand(x, r, n):
    tape = []
    for _ in range(n):
        tape.append(x)
        x = r * x * (1.0 - x)
    # back
    x_bar, r_bar = 1.0, 0.0
    for x_before in reversed(tape):
        r_bar += x_bar * x_before * (1.0 - x_before)
        x_bar *= r * (1.0 - 2.0 * x_before)
    return x, (x_bar, r_bar)


def power(x, n):
    if n == 0:
        return 1.0
    if n % 2 == 1:
        return x * power(x, n - 1)
    half = power(x, n // 2)
    return half * half


def power_hand(x, n):
    if n == 0:
        return 1.0, (0.0,)
    if n % 2 == 1:
        rest, (rest_x,) = power_hand(x, n - 1)
        return x * rest, (rest + x * rest_x,)
    half, (half_x,) = power_hand(x, n // 2)
    return half * half, (2.0 * half * half_x,)


CASES = [
    Case(black_scholes, black_scholes_hand, (100.0, 95.0, 0.03, 0.2, 1.5)),
    Case(normal_logpdf, normal_logpdf_hand, (0.7, 0.2, -0.3)),
    Case(lennard_jones, lennard_jones_hand, (1.3, 0.7, 1.1)),
    Case(haversine, haversine_hand, (0.9, 0.1, 0.7, -1.3)),
    Case(income_tax, income_tax_hand, (70.0, 0.2, 50.0)),
    Case(cube_root, cube_root_hand, (7.0,)),
    Case(horner, horner_hand, (0.7, [0.3, -1.2, 0.5, 2.0, -0.1])),
    Case(logistic_map, logistic_map_hand, (0.3, 3.1, 12)),
    Case(power, power_hand, (1.1, 13)),
]
