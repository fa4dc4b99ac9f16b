"""Simulations: stencils, and steppers of differential equations with helpers."""

from dataclasses import dataclass

import numpy as np

from .case import Case

RNG = np.random.default_rng(21)


def heat(u, alpha, n):
    for _ in range(n):
        u[1:-1] = u[1:-1] + alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def heat_hand(u, alpha, n):
    u = u.copy()
    tape = []
    for _ in range(n):
        curvature = u[2:] - 2.0 * u[1:-1] + u[:-2]
        tape.append(curvature)
        u[1:-1] += alpha * curvature
    value = np.sum(u**2)
    # back
    u_bar = 2.0 * u
    alpha_bar = 0.0
    for curvature in reversed(tape):
        inside_bar = u_bar[1:-1].copy()
        alpha_bar += inside_bar @ curvature
        curvature_bar = alpha * inside_bar
        u_bar[2:] += curvature_bar
        u_bar[1:-1] -= 2.0 * curvature_bar
        u_bar[:-2] += curvature_bar
    return value, (u_bar, alpha_bar)


def membrane(z, load):
    dx = z[1:, :] - z[:-1, :]
    dy = z[:, 1:] - z[:, :-1]
    return 0.5 * np.sum(dx**2) + 0.5 * np.sum(dy**2) - np.sum(load * z)


def membrane_hand(z, load):
    dx = z[1:, :] - z[:-1, :]
    dy = z[:, 1:] - z[:, :-1]
    value = 0.5 * np.sum(dx**2) + 0.5 * np.sum(dy**2) - np.sum(load * z)
    # back
    z_bar = -load
    z_bar[1:, :] += dx
    z_bar[:-1, :] -= dx
    z_bar[:, 1:] += dy
    z_bar[:, :-1] -= dy
    return value, (z_bar, -z)


def advect(u, speed, n):
    for _ in range(n):
        flux = speed * u
        u = u - (flux - np.roll(flux, 1))
    return np.mean(u**2)


def advect_hand(u, speed, n):
    tape = []
    for _ in range(n):
        tape.append(u)
        flux = speed * u
        u = u - (flux - np.roll(flux, 1))
    value = np.mean(u**2)
    # back
    u_bar = 2.0 / u.size * u
    speed_bar = 0.0
    for u_before in reversed(tape):
        flux_bar = np.roll(u_bar, -1) - u_bar
        speed_bar += flux_bar @ u_before
        u_bar = u_bar + speed * flux_bar
    return value, (u_bar, speed_bar)


def pendulum(state, damping):
    return np.array([state[1], -np.sin(state[0]) - damping * state[1]])


def swing(state, damping, dt, n):
    for _ in range(n):
        k1 = pendulum(state, damping)
        k2 = pendulum(state + dt * k1, damping)
        state = state + 0.5 * dt * (k1 + k2)
    return np.sum(state**2)


def pendulum_back(state, damping, slope_bar):
    angle_slope_bar, speed_slope_bar = slope_bar
    state_bar = np.array([-speed_slope_bar * np.cos(state[0]), angle_slope_bar - damping * speed_slope_bar])
    return state_bar, -speed_slope_bar * state[1]


def swing_hand(state, damping, dt, n):
    tape = []
    for _ in range(n):
        k1 = pendulum(state, damping)
        ahead = state + dt * k1
        k2 = pendulum(ahead, damping)
        tape.append((state, ahead))
        state = state + 0.5 * dt * (k1 + k2)
    value = np.sum(state**2)
    # back
    state_bar = 2.0 * state
    damping_bar = 0.0
    for before, ahead in reversed(tape):
        k_bar = 0.5 * dt * state_bar
        ahead_bar, damping2_bar = pendulum_back(ahead, damping, k_bar)
        before_bar, damping1_bar = pendulum_back(before, damping, k_bar + dt * ahead_bar)
        damping_bar += damping1_bar + damping2_bar
        state_bar = state_bar + ahead_bar + before_bar
    return value, (state_bar, damping_bar)


@dataclass
class Spring:
    stiffness: float
    rest: float
    damping: float


def oscillate(spring, x, v, dt, n):
    for _ in range(n):
        force = -spring.stiffness * (x - spring.rest) - spring.damping * v
        v = v + dt * force
        x = x + dt * v
    return x


def oscillate_hand(spring, x, v, dt, n):
    tape = []
    for _ in range(n):
        tape.append((x, v))
        force = -spring.stiffness * (x - spring.rest) - spring.damping * v
        v = v + dt * force
        x = x + dt * v
    # back
    spring_bar = Spring(0.0, 0.0, 0.0)
    x_bar, v_bar = 1.0, 0.0
    for x_before, v_before in reversed(tape):
        v_bar += dt * x_bar
        force_bar = dt * v_bar
        spring_bar.stiffness -= force_bar * (x_before - spring.rest)
        spring_bar.rest += force_bar * spring.stiffness
        spring_bar.damping -= force_bar * v_before
        x_bar -= force_bar * spring.stiffness
        v_bar -= force_bar * spring.damping
    return x, (spring_bar, x_bar, v_bar)


def predators(y, rates):
    prey, hunters = y
    return (rates["birth"] - rates["hunt"] * hunters) * prey, (rates["gain"] * prey - rates["death"]) * hunters


def populations(prey, hunters, rates, dt, n):
    for _ in range(n):
        d_prey, d_hunters = predators((prey, hunters), rates)
        prey, hunters = prey + dt * d_prey, hunters + dt * d_hunters
    return prey - hunters


def populations_hand(prey, hunters, rates, dt, n):
    tape = []
    for _ in range(n):
        tape.append((prey, hunters))
        d_prey, d_hunters = predators((prey, hunters), rates)
        prey, hunters = prey + dt * d_prey, hunters + dt * d_hunters
    value = prey - hunters
    # back
    birth, hunt, gain, death = rates["birth"], rates["hunt"], rates["gain"], rates["death"]
    birth_bar = hunt_bar = gain_bar = death_bar = 0.0
    prey_bar, hunters_bar = 1.0, -1.0
    for prey, hunters in reversed(tape):
        d_prey_bar, d_hunters_bar = dt * prey_bar, dt * hunters_bar
        birth_bar += d_prey_bar * prey
        hunt_bar -= d_prey_bar * hunters * prey
        gain_bar += d_hunters_bar * prey * hunters
        death_bar -= d_hunters_bar * hunters
        prey_bar += d_prey_bar * (birth - hunt * hunters) + d_hunters_bar * gain * hunters
        hunters_bar += d_hunters_bar * (gain * prey - death) - d_prey_bar * hunt * prey
    return value, (prey_bar, hunters_bar, {"birth": birth_bar, "hunt": hunt_bar, "gain": gain_bar, "death": death_bar})


RATES = {"birth": 1.1, "hunt": 0.4, "gain": 0.1, "death": 0.4}
CASES = [
    Case(heat, heat_hand, (RNG.normal(size=30), 0.2, 10)),
    Case(membrane, membrane_hand, (RNG.normal(size=(12, 9)), RNG.normal(size=(12, 9)))),
    Case(advect, advect_hand, (RNG.normal(size=30), 0.3, 10)),
    Case(swing, swing_hand, (np.array([0.5, -0.2]), 0.1, 0.05, 20), wrt="state damping",
         helpers=(pendulum_back,)),
    Case(oscillate, oscillate_hand, (Spring(2.0, 0.5, 0.1), 1.0, 0.0, 0.05, 20), wrt="spring x v"),
    Case(populations, populations_hand, (10.0, 5.0, RATES, 0.05, 20), wrt="prey hunters rates"),
]  # fmt: skip
