/** The messages between the file service and its clients. */
@NullMarked
package io.verbena.files.protocol;

import org.jspecify.annotations.NullMarked;
