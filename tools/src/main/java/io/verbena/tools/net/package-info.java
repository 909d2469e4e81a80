/** The commands of Linux that {@code verbena net} runs. */
@NullMarked
package io.verbena.tools.net;

import org.jspecify.annotations.NullMarked;
