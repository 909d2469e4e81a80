/** A simulated local network of hosts and routers. */
@NullMarked
package io.verbena.sim.lan;

import org.jspecify.annotations.NullMarked;
