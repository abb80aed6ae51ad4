# A Faye server with GroupMe's rules (reference/groupme.md 4.4): faye_groupme.rb PORT TIMEOUT
#
# PORT 0 lets the system choose. A subscription, and whatever is published, needs `ext.access_token`: `token-N` is the token of user N,
# `server` that of the service itself, which may publish anywhere. Prints `listening PORT`, then a line for each thing that happens.
require 'faye'
require 'thin'

class Rules
  def incoming(message, callback)
    channel = message['channel']
    if channel == '/meta/subscribe' || !channel.start_with?('/meta/')
      token = (message['ext'] || {})['access_token'].to_s
      about = channel == '/meta/subscribe' ? Array(message['subscription']) : [channel]
      user = about.map { |name| name[%r{\A/user/(.*)\z}, 1] }.compact.first
      known = token == 'server' || token.match?(/\Atoken-\d+\z/)
      mine = token == 'server' || user.nil? || token == "token-#{user}"
      message['error'] = '403::access token authentication failed' unless known && mine
    end
    callback.call(message)
  end

  # What a client said to prove itself is nobody else's business.
  def outgoing(message, callback)
    message.delete('ext')
    callback.call(message)
  end
end

# Until the server has noticed that a socket is gone it writes to it, and what it writes is lost: whoever cuts one waits for this line.
module TellsOfClosing
  def close_socket(*)
    super
    puts 'closed'
  end
end
Faye::Server.prepend(TellsOfClosing)

port, timeout = ARGV.map(&:to_i)
$stdout.sync = true
Faye::WebSocket.load_adapter('thin')
Thin::Logging.silent = true
app = Faye::RackAdapter.new(mount: '/faye', timeout: timeout)
app.add_extension(Rules.new)
app.on(:handshake) { |client| puts "handshake #{client}" }
app.on(:subscribe) { |_, channel| puts "subscribe #{channel}" }
app.on(:unsubscribe) { |_, channel| puts "unsubscribe #{channel}" }
app.on(:publish) { |_, channel, data| puts "publish #{channel} #{data.inspect}" }
app.on(:disconnect) { |client| puts "disconnect #{client}" }

EM.run do
  server = Thin::Server.new('127.0.0.1', port, app, signals: false)
  server.start
  EM.next_tick do
    chosen = Socket.unpack_sockaddr_in(EM.get_sockname(server.backend.instance_variable_get(:@signature))).first
    puts "listening #{chosen}"
  end
end
