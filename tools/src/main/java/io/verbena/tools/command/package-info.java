/** What all commands share: their arguments, the terminal, exit codes, and the sentences of errors. */
@NullMarked
package io.verbena.tools.command;

import org.jspecify.annotations.NullMarked;
