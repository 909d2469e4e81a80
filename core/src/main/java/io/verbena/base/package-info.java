/** Rings, checksums and byte helpers that every engine uses. */
@NullMarked
package io.verbena.base;

import org.jspecify.annotations.NullMarked;
