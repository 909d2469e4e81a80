/** A demonstration of RDMA between two processes: a file in each direction, messages and atomics, with verified results. */
@NullMarked
package io.verbena.tools.demo;

import org.jspecify.annotations.NullMarked;
