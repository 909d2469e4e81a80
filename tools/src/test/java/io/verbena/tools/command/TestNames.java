package io.verbena.tools.command;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.stream.Stream;

/** Names for tests; the system resolves all others. */
public final class TestNames extends InetAddressResolverProvider {

    /** A host of which only the last address answers. The others belong to both families. */
    public static final String SEVERAL = "several.verbena.test";

    /** The address of {@link #SEVERAL} at which servers listen. */
    public static final String LIVE = "127.15.18.7";

    /** For the JDK, which loads it as a service. */
    public TestNames() {}

    @Override
    public String name() {
        return "names of tests";
    }

    @Override
    public InetAddressResolver get(Configuration configuration) {
        InetAddressResolver system = configuration.builtinResolver();
        return new InetAddressResolver() {
            @Override
            public Stream<InetAddress> lookupByName(String host, LookupPolicy policy) throws UnknownHostException {
                return host.equals(SEVERAL)
                        ? Stream.of("::1", "127.15.18.6", LIVE).map(InetAddress::ofLiteral)
                        : system.lookupByName(host, policy);
            }

            @Override
            public String lookupByAddress(byte[] address) throws UnknownHostException {
                return system.lookupByAddress(address);
            }
        };
    }
}
