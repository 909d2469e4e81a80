/** What ends a copy or a connection, with sentences for people. */
@NullMarked
package io.verbena.files.failure;

import org.jspecify.annotations.NullMarked;
