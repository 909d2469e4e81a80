/** Event loops over the channels of the JDK: streams and datagrams where nothing better is there. */
@NullMarked
package io.verbena.host.socket;

import org.jspecify.annotations.NullMarked;
