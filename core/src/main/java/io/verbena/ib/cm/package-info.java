/**
 * Communication management of InfiniBand as a pure engine: it establishes and ends connections of queue pairs. {@code
 * CmAgent} processes the management datagrams of a port; {@code CmTable} is the transition table of a connection.
 */
@NullMarked
package io.verbena.ib.cm;

import org.jspecify.annotations.NullMarked;
