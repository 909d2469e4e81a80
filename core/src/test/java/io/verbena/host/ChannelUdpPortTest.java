package io.verbena.host;

import java.io.IOException;

class ChannelUdpPortTest extends UdpPortTest {

    @Override
    EngineLoop open() throws IOException {
        return new SocketLoop(0);
    }
}
