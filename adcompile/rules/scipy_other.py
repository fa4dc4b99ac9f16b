"""What SciPy does with functions of the user's: used for its value, refused where an argument varies."""

from __future__ import annotations

from adcompile.rules.forms import opaque

opaque("the solver calls the function in steps that are not seen from outside; write the time-stepping loop out",
       "scipy.integrate.odeint", "scipy.integrate.solve_ivp", "scipy.integrate.ode")
opaque("the points at which the function is called are not seen from outside; write the sum over the points out",
       "scipy.integrate.quad", "scipy.integrate.dblquad", "scipy.integrate.tplquad", "scipy.integrate.nquad",
       "scipy.integrate.fixed_quad")
