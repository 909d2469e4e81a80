/** IPv4 and IPv6 around segments, and ICMP. */
@NullMarked
package io.verbena.tcp.ip;

import org.jspecify.annotations.NullMarked;
