/** Event loops over the channels of the JDK: streams and datagrams on systems without epoll. */
@NullMarked
package io.verbena.host.socket;

import org.jspecify.annotations.NullMarked;
