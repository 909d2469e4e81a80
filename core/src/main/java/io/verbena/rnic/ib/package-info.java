/**
 * The InfiniBand transport of the software RNIC: one packet port, connection management on queue pair 1, and the life
 * of each queue pair. The protocols are in {@code io.verbena.ib}.
 */
@NullMarked
package io.verbena.rnic.ib;

import org.jspecify.annotations.NullMarked;
