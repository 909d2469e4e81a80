/** Traffic patterns for a fabric, and figures of what it carries. */
@NullMarked
package io.verbena.fabric.traffic;

import org.jspecify.annotations.NullMarked;
