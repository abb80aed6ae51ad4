# Ruby's Faye::Client against a server: faye_client.rb URL TRANSPORT TOKEN
#
# Subscribes to /group/* and to /user/2 (with the token, and with a wrong one), publishes three messages on /group/1, and
# prints a line for each result. Ends when its own messages have come back, or with 1 after ten seconds.
require 'faye'

class Token
  def initialize(token)
    @token = token
  end

  def outgoing(message, callback)
    if message['channel'] == '/meta/subscribe' || !message['channel'].start_with?('/meta/')
      token = message['subscription'] == '/user/2' ? 'nonsense' : @token
      message['ext'] = { 'access_token' => token }
    end
    callback.call(message)
  end
end

url, transport, token = ARGV
$stdout.sync = true
EM.run do
  client = Faye::Client.new("#{url}/faye", timeout: 5)
  # It always shakes hands over HTTP, also before a WebSocket.
  client.disable('websocket') unless transport == 'websocket'
  client.add_extension(Token.new(token))
  received = 0
  subscription = client.subscribe('/group/*') do |message|
    puts "message #{message['text']}"
    received += 1
    if received == 3
      client.disconnect
      EM.add_timer(0.2) { EM.stop }
    end
  end
  subscription.callback do
    puts 'subscribed'
    %w[one two three].each do |text|
      client.publish('/group/1', 'text' => text).callback { puts 'published' }.errback { |error| puts "error #{error.message}" }
    end
  end
  subscription.errback { |error| puts "refused #{error.message}" }
  client.subscribe('/user/2') { |_| puts 'a message for somebody else' }.errback { |error| puts "refused #{error.message}" }
  EM.add_timer(10) { exit!(1) }
end
