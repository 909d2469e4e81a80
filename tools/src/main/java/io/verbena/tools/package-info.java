/** The command line: one class per command, shared options as mixins, and error messages. */
@NullMarked
package io.verbena.tools;

import org.jspecify.annotations.NullMarked;
