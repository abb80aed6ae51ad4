"""A Chainlit application that asks for a name when a chat begins, and says back what is written to it.

    chainlit run chainlit_app.py --headless --port PORT
"""
import chainlit as cl


@cl.on_chat_start
async def start():
    answer = await cl.AskUserMessage(content="What is your name?", timeout=30).send()
    await cl.Message(content=f"Hello {answer['output'] if answer else 'nobody'}").send()


@cl.on_message
async def message(message: cl.Message):
    await cl.Message(content=f"You said: {message.content}").send()
