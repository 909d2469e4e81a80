/** Ethernet below IP: ARP, neighbor discovery, the routes of a host and the stations of its link. */
@NullMarked
package io.verbena.tcp.link;

import org.jspecify.annotations.NullMarked;
