# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Programs found by trying each way of one thing with each way of another: making, changing, sharing."""

import numpy as np

from ..corpus import program, sample


def two_of_it(w):
    r, q = [w, w], 1
    return r


@program(0.7)
def lists_put_together_by_sum(y):
    ys = sum([[y],[y*y]], [])
    return ys[0]*ys[1]


@program(0.7, 2, static="n")
def lists_of_one_put_together_by_sum(y, n):
    xs=[[y] for i in range(n)]
    ys=sum(xs, [])
    return sum(ys)


@program(0.7, 2, static="n")
def tuples_put_together_by_sum(y, n):
    xs=[(y, 2*y) for i in range(n)]
    ys=sum(xs, ())
    return sum(ys)*ys[0]


@program(np.array([0.5, -1.2]), 0.7)
def product_by_one_appended(a, y):
    xs=[]
    xs.append(a*1.0)
    xs[0][0]=y
    return np.sum(a)*np.sum(xs[0])


@program(np.array([0.5, -1.2]), 0.7)
def sum_with_zero_inserted(a, y):
    xs=[]
    xs.insert(0, a+0.0)
    xs[0][0]=y
    return np.sum(a)*np.sum(xs[0])


@program(np.array([0.5, -1.2]), 0.7)
def quotient_by_one_in_an_extension(a, y):
    xs=[]
    xs.extend([a/1])
    xs[0][0]=y
    return np.sum(a)*np.sum(xs[0])


@program(np.array([0.5, -1.2]), 0.7)
def two_lists_of_sums_put_together(a, y):
    xs=[a+1.0]+[a+1.0]
    xs[0][0]=y
    return np.sum(xs[0])+np.sum(a*a)+np.sum(xs[1])


@program(np.array([0.5, -1.2]), 0.7)
def added_at_the_same_place_of_one_array_twice_in_a_list(a, y):
    w=a*2.0
    xs=[w,w]
    np.add.at(xs[0],[1,1],y)
    return np.sum(xs[1])


@program(np.array([0.5, -1.2]), 0.7)
def list_of_one_array_unpacked(a, y):
    w=a*y
    xs, q = [w, w], 1
    xs[0][0]=y
    return np.sum(xs[1])


@program(np.array([0.5, -1.2]), 0.7)
def one_array_twice_in_an_extension(a, y):
    w=a*y
    xs=[]
    xs.extend([w,w])
    xs[0][0]=y
    return np.sum(xs[1])


@program(np.array([0.5, -1.2]), 0.7)
def one_array_twice_in_an_augmented_list(a, y):
    w=a*y
    xs=[]
    xs+=[w,w]
    xs[0][0]=y
    return np.sum(xs[1])


@program(np.array([0.5, -1.2]), 0.7)
def one_array_twice_in_an_appended_list(a, y):
    w=a*y
    xs=[]
    xs.append([w,w])
    xs[0][0][0]=y
    return np.sum(xs[0][1])


@program(np.array([0.5, -1.2]), 0.7)
def one_array_twice_in_a_list_put_into_a_dict(a, y):
    w=a*y
    d={}
    d['k']=[w,w]
    d['k'][0][0]=y
    return np.sum(d['k'][1])


@program(np.array([0.5, -1.2]), 0.7)
def one_array_twice_in_a_slice(a, y):
    w=a*y
    xs=[]
    xs[:]=[w,w]
    xs[0][0]=y
    return np.sum(xs[1])


@program(np.array([0.5, -1.2]), 0.7)
def one_array_twice_in_the_list_of_a_helper(a, y):
    w=a*y
    xs=two_of_it(w)
    xs[0][0]=y
    return np.sum(xs[1])


@program(np.array([0.5, -1.2]), 0.7)
def placed_from_a_list(a, y):
    w=a*y
    np.place(w, w>0, [y])
    return np.sum(w*a)


@program(np.array([0.5, -1.2]), 0.7)
def put_by_a_mask_from_a_list(a, y):
    w=a*y
    np.putmask(w, w>0, [y, 2*y])
    return np.sum(w*a)


@program(np.array([0.5, -1.2]), 0.7)
def array_put_where_a_number_was(a, y):
    w=a*y
    xs=[0]
    xs[:]=[w]
    xs[0]*=y
    return np.sum(w)


@program(np.array([0.5, -1.2]), 0.7)
def array_put_where_none_was(a, y):
    xs=[None]
    xs[0]=a*y
    if y>0: xs[0][0]*=y
    return np.sum(xs[0])


@program(np.array([0.5, -1.2]), 0.7, 2)
def array_times_a_count_put_where_none_was(a, y, n):
    xs=[None]
    xs[0]=a*n
    if y>0: xs[0][0]*=y
    return np.sum(xs[0])


@program(0.7)
def taken_from_a_list_at_an_array_of_places(y):
    return np.sum(np.take([y, 2.0], np.arange(2) % 1))


@program(np.array([0.5, 1.2, 0.9], np.float32))
def squares_of_small_floats_summed(a):
    return np.sum(a**2)


@program(np.array([0.5, 1.2, 0.9], np.float32))
def what_small_floats_lack_summed(a):
    return np.sum((1 - a) ** 2) + np.sum(-a) + np.mean(a**2) + np.sum(1 / a)


@program(np.array([[0.5, 1.2], [0.9, 0.1]]))
def sums_along_an_axis_doubled(m):
    return np.sum(np.sum(-m, axis=1) * 2)
