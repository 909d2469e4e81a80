/**
 * How a process answers other processes of the same user: a Unix socket for each process and subject in a folder of the user, with one
 * request and one answer per connection, and a thread that waits in accept. The figures of RNICs are one subject.
 */
@NullMarked
package io.verbena.live;

import org.jspecify.annotations.NullMarked;
