# A Faye server with GroupMe's rules (Bayeux BX-26): faye_groupme.rb PORT TIMEOUT [WORLD]
#
# PORT 0 lets the system choose. A subscription, and whatever is published, needs `ext.access_token`: `token-N` is the
# token of user N, `server` that of the service itself, which may publish anywhere. Prints `listening PORT`, then a line
# for each thing that happens.
#
# With the file WORLD the REST service is there, too: one group, whose messages are those that were published as
# `line.create`; they are kept in the file, so that a server that is started again has them. It takes any token that
# ends with a user's number.
require 'faye'
require 'json'
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

  # Removes the credentials of a client, which other clients must not receive.
  def outgoing(message, callback)
    message.delete('ext')
    callback.call(message)
  end
end

# A test that cuts a socket waits for this line. Until the server notices the cut, it writes to the socket, and those messages are lost.
module TellsOfClosing
  def close_socket(*)
    super
    puts 'closed'
  end
end
Faye::Server.prepend(TellsOfClosing)

# The part of the REST service that a tail requests (GroupMe GM-26 to GM-46).
class World
  GROUP = '10000001'.freeze

  def initialize(path)
    @path = path
    @messages = File.exist?(path) ? File.readlines(path).map { |line| JSON.parse(line) } : []
  end

  def say(message)
    @messages << message
    File.write(@path, JSON.generate(message) + "\n", mode: 'a')
  end

  def call(env)
    user = env['HTTP_X_ACCESS_TOKEN'].to_s[/-(\d+)\z/, 1]
    return answer(401, nil, 'unauthorized') unless user
    query = Rack::Utils.parse_query(env['QUERY_STRING'])
    is_first = query.fetch('page', '1') == '1'
    case env['PATH_INFO']
    when '/v3/users/me' then answer(200, { id: user, user_id: user, name: 'Mia' })
    when '/v3/groups' then answer(200, is_first ? [group.merge(members: nil)] : [])
    when "/v3/groups/#{GROUP}" then answer(200, group)
    when '/v3/groups/former', '/v3/chats' then answer(200, [])
    when "/v3/groups/#{GROUP}/messages" then page(query)
    else [404, {}, []]
    end
  end

  private

  def group
    members = [%w[1 20000001 Mia], %w[2 20000002 Ann]].map { |id, user, name| { id: id, user_id: user, nickname: name } }
    last = @messages.last || {}
    { id: GROUP, group_id: GROUP, name: 'Family', type: 'private', members: members, members_count: members.size,
      messages: { count: @messages.size, last_message_id: last['id'], last_message_created_at: last['created_at'] } }
  end

  # The newest message is first, except on a page after a given message, which is in ascending order. An empty page is a 304 without a body
  # (GroupMe GM-34).
  def page(query)
    limit = query.fetch('limit', '20').to_i
    before, after = query.values_at('before_id', 'after_id').map { |id| id&.to_i }
    found = @messages.select { |each| (!before || each['id'].to_i < before) && (!after || each['id'].to_i > after) }
    found = after ? found.first(limit) : found.last(limit).reverse
    return [304, {}, []] if found.empty?
    answer(200, { count: @messages.size, messages: found })
  end

  def answer(status, response, error = nil)
    meta = { code: status }
    meta[:errors] = [error] if error
    body = JSON.generate(error ? { meta: meta } : { response: response, meta: meta })
    [status, { 'Content-Type' => 'application/json' }, [body]]
  end
end

port, timeout = ARGV.first(2).map(&:to_i)
world = ARGV[2] && World.new(ARGV[2])
$stdout.sync = true
Faye::WebSocket.load_adapter('thin')
Thin::Logging.silent = true
app = Faye::RackAdapter.new(world, mount: '/faye', timeout: timeout)
app.add_extension(Rules.new)
app.on(:handshake) { |client| puts "handshake #{client}" }
app.on(:subscribe) { |_, channel| puts "subscribe #{channel}" }
app.on(:unsubscribe) { |_, channel| puts "unsubscribe #{channel}" }
app.on(:publish) do |_, channel, data|
  world.say(data['subject']) if world && data.is_a?(Hash) && data['type'] == 'line.create'
  puts "publish #{channel} #{data.inspect}"
end
app.on(:disconnect) { |client| puts "disconnect #{client}" }

EM.run do
  server = Thin::Server.new('127.0.0.1', port, app, signals: false)
  server.start
  EM.next_tick do
    chosen = Socket.unpack_sockaddr_in(EM.get_sockname(server.backend.instance_variable_get(:@signature))).first
    puts "listening #{chosen}"
  end
end
