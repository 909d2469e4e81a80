/**
 * The duty cycle of a software RNIC: an {@link io.verbena.engine.RnicEngine} serves endpoints one after the other, each within
 * a byte budget. It knows no transport and no queue pair; an {@link io.verbena.engine.Endpoint} is what it serves and whose
 * doorbell is rung.
 */
@NullMarked
package io.verbena.engine;

import org.jspecify.annotations.NullMarked;
