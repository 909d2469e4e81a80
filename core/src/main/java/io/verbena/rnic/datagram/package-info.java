/** Reliable datagram domains and their contexts. */
@NullMarked
package io.verbena.rnic.datagram;

import org.jspecify.annotations.NullMarked;
