/**
 * The duty cycle of a software RNIC: an {@link io.verbena.engine.RnicEngine} serves endpoints one after the other, each within
 * a byte budget. The engine depends on no transport and on no queue pair: it serves an {@link io.verbena.engine.Endpoint}
 * after its doorbell has been rung.
 */
@NullMarked
package io.verbena.engine;

import org.jspecify.annotations.NullMarked;
