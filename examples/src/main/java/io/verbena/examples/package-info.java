/** Ten small programs, each complete in its file: to read, to run and to copy. */
@NullMarked
package io.verbena.examples;

import org.jspecify.annotations.NullMarked;
