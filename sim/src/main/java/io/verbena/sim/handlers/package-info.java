/** Handler processors in virtual time: what more of them than this machine has would do. */
@NullMarked
package io.verbena.sim.handlers;

import org.jspecify.annotations.NullMarked;
