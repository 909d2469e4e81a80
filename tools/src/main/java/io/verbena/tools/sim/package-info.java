/** Many runs of the simulation. */
@NullMarked
package io.verbena.tools.sim;

import org.jspecify.annotations.NullMarked;
