/** One connection: what an arriving segment changes, what is written next, and the tables that find connections. */
@NullMarked
package io.verbena.tcp.connection;

import org.jspecify.annotations.NullMarked;
