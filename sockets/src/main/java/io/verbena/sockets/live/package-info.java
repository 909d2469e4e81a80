/**
 * How a process answers other processes of the same user, for example with figures: a Unix socket for each process in a folder of the
 * user, with one request and one answer per connection. The socket costs nothing while no process connects.
 */
@NullMarked
package io.verbena.sockets.live;

import org.jspecify.annotations.NullMarked;
