/** The responder of a reliable connection: a chain of checks, placement, and the answers. */
@NullMarked
package io.verbena.ib.respond;

import org.jspecify.annotations.NullMarked;
