package io.verbena.storage.host;

import io.verbena.storage.wire.ConnectData;

/**
 * How a command of the host itself uses {@link HostMemory#page()}.
 *
 * @param lengthBytes bytes from the start of the page
 */
public record PageUse(int lengthBytes) {
    static final PageUse NONE = new PageUse(0);
    /** The target reads the data of Connect. */
    static final PageUse CONNECT_DATA = new PageUse(ConnectData.LENGTH);
    /** The target writes the data of Identify. */
    static final PageUse PAGE = new PageUse(HostCommands.PAGE_BYTES);
}
