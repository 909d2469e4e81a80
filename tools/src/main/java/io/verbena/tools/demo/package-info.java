/** The main job in one go: a file both ways by RDMA between two processes, messages and atomics, all of it verified. */
@NullMarked
package io.verbena.tools.demo;

import org.jspecify.annotations.NullMarked;
