/** What the two sides of a connection agree upon, and how private data carry it. */
@NullMarked
package io.verbena.rnic.ib.terms;

import org.jspecify.annotations.NullMarked;
