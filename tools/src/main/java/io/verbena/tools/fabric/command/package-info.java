/** The commands of simulated fabrics and their arguments. */
@NullMarked
package io.verbena.tools.fabric.command;

import org.jspecify.annotations.NullMarked;
