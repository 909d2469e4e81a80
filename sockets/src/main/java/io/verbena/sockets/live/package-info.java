/**
 * How a process shows figures to other processes of the same user: a Unix socket for each process in a folder of the user, from which
 * one text is read per connection. It costs nothing while no process asks.
 */
@NullMarked
package io.verbena.sockets.live;

import org.jspecify.annotations.NullMarked;
