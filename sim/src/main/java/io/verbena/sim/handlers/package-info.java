/** Handler processors in virtual time, for runs with more processors than the machine has. */
@NullMarked
package io.verbena.sim.handlers;

import org.jspecify.annotations.NullMarked;
