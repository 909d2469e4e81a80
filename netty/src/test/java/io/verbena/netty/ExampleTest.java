package io.verbena.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.examples.NettyEcho;
import org.junit.jupiter.api.Test;

/** The example of the documentation works, with the network that all handlers of a process share. */
class ExampleTest {

    @Test
    void example_echoes() throws Exception {
        assertEquals("hello", NettyEcho.echo("hello"));
    }
}
