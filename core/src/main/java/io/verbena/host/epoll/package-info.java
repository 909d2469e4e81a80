/** Event loops over epoll: streams, datagrams with GSO, TUN devices and packet sockets of Linux. */
@NullMarked
package io.verbena.host.epoll;

import org.jspecify.annotations.NullMarked;
