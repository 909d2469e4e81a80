/** The command line: one class a command, shared options as mixins, and what turns problems into sentences. */
@NullMarked
package io.verbena.tools;

import org.jspecify.annotations.NullMarked;
