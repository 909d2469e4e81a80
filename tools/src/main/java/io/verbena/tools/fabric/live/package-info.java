/** A running or repeated fabric behind the live view. */
@NullMarked
package io.verbena.tools.fabric.live;

import org.jspecify.annotations.NullMarked;
