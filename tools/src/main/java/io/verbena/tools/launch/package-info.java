/** The program that the launcher runs once after a build. */
@NullMarked
package io.verbena.tools.launch;

import org.jspecify.annotations.NullMarked;
