/** What happens to a connection: told as a ladder of frames and states, and a chat that turns into RDMA. */
@org.jspecify.annotations.NullMarked
package io.verbena.tools.connections;
