/** Which MUSTs of the RFCs are cited by tests, by the code only, or not at all: {@code docs/rfc/README.md}. */
@NullMarked
package io.verbena.citation;

import org.jspecify.annotations.NullMarked;
