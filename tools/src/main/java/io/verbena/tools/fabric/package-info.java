/** What {@code verbena fabric} does besides calling the engines. */
@NullMarked
package io.verbena.tools.fabric;

import org.jspecify.annotations.NullMarked;
